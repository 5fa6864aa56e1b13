/**
 * The version of the protocol between control plane and host agents. It grows by one with each release that
 * changes messages. Each side accepts the version of the other side if it is at most one older or newer, so
 * that either side can be upgraded first.
 */

export const protocol = {
  version: 2,
  /** The version of a control plane or agent that sends no version, because it is older than the field. */
  unnamed: 1,
  /** Header of the join request and its answer, and key in gRPC's metadata. */
  header: 'phonerack-protocol',
  /** Header of a join request: the agent can use the subjects of a rejoin (`AgentOnBus`). */
  rejoinHeader: 'phonerack-rejoin',
} as const

export const isSpoken = (version: number): boolean => Math.abs(version - protocol.version) <= 1

/** Reads the version of a header or metadata. An invalid version becomes NaN, which no side accepts. */
export function readProtocolVersion(text: string | undefined): number {
  if (text === undefined || text === '') return protocol.unnamed
  return /^\d{1,6}$/.test(text) ? Number(text) : NaN
}

const commands = {
  'host agent': './scripts/up --host-only',
  'control plane': './scripts/up --control-only',
} as const

/** Why the other side is refused, and the command to run. `other`: the side that speaks `version`. */
export function explainRefusal(other: keyof typeof commands, version: number): string {
  const { version: own } = protocol
  const behind = version < own ? other : other === 'host agent' ? 'control plane' : 'host agent'
  const said = Number.isNaN(version) ? 'no known protocol version' : `protocol version ${version}`
  return (
    `The ${other} speaks ${said}; versions ${own - 1} to ${own + 1} are accepted. ` +
    `Upgrade the ${behind} on its machine: git pull, ./scripts/down, then ${commands[behind]} with the same options as before.`
  )
}
