/** The settings of `/mcp`: browsers that may use it, and clients that sign in. */
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text

const origins = z
  .string()
  .default('')
  .transform((list) =>
    list
      .split(',')
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ''),
  )
  .refine((all) => all.every(isOrigin), 'must be origins, such as https://agents.example.com')

export const mcpEnvironment = {
  PHONERACK_MCP_ORIGINS: setting(
    origins,
    'Origins, separated by commas, of browsers whose requests to `/mcp` are accepted, such as `https://agents.example.com`.',
  ),
  // docs/decisions/0296
  PHONERACK_OAUTH_REGISTRATION: setting(
    z.enum(['on', 'off']).default('off'),
    '`on`: clients of `/mcp` without a metadata document may register themselves.',
  ),
}
