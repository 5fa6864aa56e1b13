/** Simulates silent hosts and lost links in tests, which cannot wait for them. */
import { type Prisma } from '../gen/prisma/client.js'
import { ListenedTime } from '../rental/devices/listened.js'
import { Listening, sweepHosts } from '../fleet/hosts/sweep.js'
import { type AgentDouble } from './agent-double.js'
import { eventually, type Plane } from './world.js'

/** The tables alone show which hosts are silent. */
export const unheard = { ofHost: () => Infinity, ofLink: () => Infinity }

/** A replica that has listened for long, and therefore trusts any silence. */
export function listeningForLong(): Listening {
  const listening = new Listening()
  for (let ms = 40_000; ms > 0; ms -= 4000) listening.isLongEnough(performance.now() - ms, true, 0)
  return listening
}

const sweep = ({ app: { core } }: Plane): Promise<void> =>
  sweepHosts(core, listeningForLong(), new ListenedTime(), unheard)

/** Makes hosts silent for `ms` milliseconds, and runs the sweeps, until `condition` is true. */
export async function silence(
  plane: Plane,
  agents: readonly AgentDouble[],
  ms: number,
  condition: () => Promise<boolean>,
): Promise<void> {
  const { db, clock } = plane.app.core
  const ids = agents.map(({ hostId }) => hostId)
  for (const agent of agents) agent.pause()
  await eventually(async () => {
    // A heartbeat that was under way may have arrived since the last sweep.
    const since = new Date(clock.now().getTime() - ms)
    const moved = await db.$executeRaw`update hosts set last_seen_at = ${since}
      where id = any(${ids}) and last_seen_at > ${since}`
    if (moved > 0) await db.$executeRaw`update listened set total_ms = total_ms + ${ms}`
    await sweep(plane)
    return condition()
  })
}

/** Makes a device's link lost for a minute, and runs the sweep. */
export async function loseLink(plane: Plane, where: Prisma.DeviceWhereUniqueInput): Promise<void> {
  const { db, clock } = plane.app.core
  await eventually(async () => (await db.device.findUniqueOrThrow({ where })).linkLostAt !== null)
  await db.device.update({ where, data: { linkLostAt: new Date(clock.now().getTime() - 60_000) } })
  await sweep(plane)
}
