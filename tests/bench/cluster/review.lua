-- SPDX-License-Identifier: Apache-2.0
-- wrk script: posts the file named by REVIEW; each connection pauses for PAUSE ms or so between an answer and the next
-- request, so that the rate is near connections / PAUSE.
local file = assert(io.open(os.getenv("REVIEW")))
wrk.method = "POST"
wrk.body = file:read("*a")
wrk.headers["Content-Type"] = "application/json"
file:close()

local pause = tonumber(os.getenv("PAUSE"))
function delay()
  return math.random(0, 2 * pause)
end

function done(summary, latency)
  local failed = summary.errors.status + summary.errors.read + summary.errors.timeout
  io.write(string.format("rate %.0f p50 %.3f p99 %.3f failed %d\n", summary.requests / summary.duration * 1e6,
                         latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed))
end
