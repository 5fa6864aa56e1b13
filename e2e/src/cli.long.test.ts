/** The tools of the program `phonerack` for a client that speaks the era before the newest one of the protocol. */
import { stdioTask } from './cli-mcp.js'

stdioTask('legacy')
