/** Clients of /mcp that use the previous revision of the protocol. */
import { mcpTasks } from './mcp-tasks.js'

mcpTasks('legacy')
