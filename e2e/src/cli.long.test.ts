/** The tools of the program `phonerack` for a client that uses the previous revision of the protocol. */
import { stdioTask } from './cli-mcp.js'

stdioTask('legacy')
