# SPDX-License-Identifier: Apache-2.0
"""Keys of one test: a CA, a server certificate for loopback, a key that signs service-account tokens."""
import base64
import os
import subprocess


class Pki:
    def __init__(self, folder):
        self.folder = os.path.join(folder, "pki")
        os.makedirs(self.folder)
        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        self._openssl("req", "-x509", *curve, "-days", "30", "-subj", "/CN=valle test CA",
                      "-keyout", "ca.key", "-out", "ca.crt")
        self.server_certificate("tls")
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "sa.key")
        self._openssl("ec", "-in", "sa.key", "-pubout", "-out", "sa.pub")

    def server_certificate(self, name):
        """NAME.crt and NAME.key for 127.0.0.1 and localhost."""
        with open(self.path(name + ".ext"), "w") as file:
            file.write("subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n")
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
                      "-keyout", name + ".key", "-out", name + ".csr")
        self._openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                      "-days", "30", "-extfile", name + ".ext", "-out", name + ".crt")

    def path(self, name):
        return os.path.join(self.folder, name)

    @property
    def ca_base64(self):
        with open(self.path("ca.crt"), "rb") as file:
            return base64.b64encode(file.read()).decode()

    def _openssl(self, *arguments):
        subprocess.run(("openssl", *arguments), cwd=self.folder, check=True, capture_output=True)
