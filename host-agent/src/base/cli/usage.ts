/** The text of `phonerack-agent --help`. */
export const usage = `Usage: phonerack-agent [run] [--config FILE]
       phonerack-agent join --server URL --token-file FILE [options]
       phonerack-agent doctor [--json] [--config FILE]
       phonerack-agent health [--config FILE]
       phonerack-agent accept SERIAL --erase [--report DIR] [--config FILE]
       phonerack-agent elements FILE.xml --screen WxH [--json]
       phonerack-agent --version | --help

  run      runs the host agent (default)
  join     makes this machine a host of a control plane, once: gets its certificate and its NATS
           rights, and writes the state folder and the configuration
  doctor   checks this machine, and says which problems it has, why they matter and how to fix
           them; changes nothing
  health   says whether the agent of this configuration runs, accepts calls, and has an adb server
           that answers; for a health check
  accept   wipes one phone, tests on it what Phonerack needs from its model, and writes a report;
           needs no control plane, and no agent may hold the phone
  elements converts a \`uiautomator dump\`, or the page source of a UI server, to an observation
           and prints it

  --config FILE             configuration (default: /etc/phonerack/agent.yaml, if it exists);
                            environment variables take precedence over it

Options of join:

  --server URL              the control plane: https://NAME[:PORT]
  --token-file FILE         its first line is the join token of \`ctl host token\`; - for
                            standard input. Or set PHONERACK_JOIN_TOKEN
  --token TOKEN             the token itself, which other users of this machine can see in \`ps\`
  --ca FILE                 certificate authorities (PEM) for the server's certificate, in place
                            of the system's
  --listen ADDRESS:PORT     address on which the agent listens for the control plane (default:
                            the address of this machine that reaches the server, port 7710)
  --advertise ADDRESS:PORT  address to which the control plane connects, if it differs from --listen
  --dial                    opens no port: the agent opens tunnels to the control plane, for a
                            machine that the control plane cannot reach, such as behind a home
                            router
  --name NAME               name of the host (default: the name of this machine)
  --country CC              country of the host, two letters (default: the country of the other
                            hosts, if it is the same for all; required for the first host)
  --nats-url URL            the NATS server (default: the server in the control plane's answer)
  --nats-insecure           allows a NATS server on another machine without TLS, for a private
                            network or tunnel
  --state DIR               folder of the agent's state (default: /var/lib/phonerack-agent)
  --insecure                allows an http: URL of this machine
  --run                     then runs the agent

Options of doctor:

  --json                    prints the findings as JSON

Options of accept:

  --erase                   required: the run deletes all data of the phone
  --report DIR              folder of the report, JSON and HTML (default: the current folder)

Options of elements:

  --screen WxH              required: width and height of the screen in pixels
  --json                    prints the observation as JSON

In a checkout, phonerack-agent is ./scripts/agent.

Exit codes: 0 success, 1 failed (doctor: at least one error; health: the agent does not work; accept:
at least one check did not pass), 2 invalid command line or configuration.
`
