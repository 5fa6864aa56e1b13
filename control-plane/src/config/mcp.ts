/** The settings of `/mcp`: browsers that may use it, and clients that sign in to it. */
import { z } from 'zod'

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

export const mcpEnvironment = {
  /** Origins, separated by commas, of browsers whose requests to `/mcp` are accepted, such as `https://agents.example.com`. */
  PHONERACK_MCP_ORIGINS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((origin) => origin.trim())
        .filter((origin) => origin !== ''),
    )
    .refine((origins) => origins.every(isOrigin), 'must be origins, such as https://agents.example.com'),
  /** `on`: clients without a metadata document may register themselves. docs/decisions/0296 */
  PHONERACK_OAUTH_REGISTRATION: z.enum(['on', 'off']).default('off'),
}
