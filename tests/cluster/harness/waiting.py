# SPDX-License-Identifier: Apache-2.0
"""Jobs that wait while something breaks."""
from .jobs import carbon, job
from .processes import free_ports
from .scenario import Scenario, Stage
from .valle import Valle, install


class WaitingJobs(Scenario):
    def waiting(self, *seconds):
        """Held jobs whose latest starts are so many seconds after creation; their names."""
        names = [f"within-{each}" for each in seconds]
        for name, each in zip(names, seconds):
            self.jobs.create(job(name, carbon(f"{each}s", "DE"), runs="4s"))
        return names

    def assert_all_ran(self, names, away=()):
        """`away`: when nobody led; who could not be released in time then is released right after."""
        for name in names:
            self.wait_completed(name, 90)
            planned, start_by, released = (self.jobs.at(name, key) for key in ("planned-start", "start-by", "released-at"))
            limit = max([start_by, *(end for begin, end in away if begin <= start_by <= end)])
            self.assertLessEqual(released, limit, f"{name} released late")
            started, regions = self.jobs.started(name)
            self.assertEqual(regions, ["DE"])
            if planned:
                self.assertGreaterEqual(released, planned, f"{name} released early")
                self.assertGreaterEqual(started, planned, f"{name} ran early")


def quick_lease_stage():
    """A Stage with a lease as short as its rules allow, so that the scenarios don't wait for it."""
    found = Stage(valle=False)
    found.valle_settings = {"kubernetes": {"lease": {"namespace": "valle", "name": "valle", "duration": "6s",
                                                     "renewDeadline": "4s", "retryPeriod": "1s"}}}
    port = free_ports(1)[0]
    install(found.plane, port)
    found.valle = Valle(found.plane, found.world, settings=found.valle_settings, webhook_port=port).start().wait_leading()
    return found
