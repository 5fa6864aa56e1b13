/** Clients of /mcp that speak the era before the newest one of the protocol. */
import { mcpTasks } from './mcp-tasks.js'

mcpTasks('legacy')
