/**
 * The stage of random lifecycles of phones: real Postgres, a real broker and an agent double. The test moves
 * the clock, runs the jobs, and starts and ends processes of the control plane.
 */
import { type Heartbeat } from '@phonerack/shared'
import { type TaskList } from 'graphile-worker'
import { foldHeartbeat } from '../fleet/hosts/heartbeats.js'
import { ListenedTime } from '../rental/devices/listened.js'
import { sweepHosts } from '../fleet/hosts/sweep.js'
import { createPowerService } from '../phone-io/device-control/power.js'
import { hostTasks, timerTasks } from '../fleet/jobs/tasks.js'
import { type Core } from '../base/core/core.js'
import { createPhoneService } from '../rental/phones/service.js'
import { custodyOf, type AgentDouble } from './agent-double.js'
import { behindFuse, type Fuse } from './cut-process.js'
import { listeningForLong, unheard } from './silence.js'
import { type Plane, type World } from './world.js'
import { type PowerService } from '../phone-io/device-control/types.js'

/** A process of the control plane: its own services and jobs, on the shared database. */
export interface Process {
  fuse: Fuse
  core: Core
  phones: ReturnType<typeof createPhoneService>
  power: PowerService
  tasks: TaskList
}

export const devices = 3

export class Stage {
  /**
   * Milliseconds since the epoch. The time is ahead of the database's clock, so that a job without `runAt` is
   * always due.
   */
  time = Date.UTC(2031, 0, 1)
  months = 0
  /** Devices that the agent no longer sees. */
  readonly gone = new Set<string>()
  isSilent = false
  private sequence = 0n
  private readonly listened = new ListenedTime(() => this.time)

  constructor(
    readonly plane: Plane,
    readonly agent: AgentDouble,
    private readonly address: string,
  ) {}

  readonly now = (): Date => new Date(this.time)

  boot(fuse: Fuse): Process {
    const shared = { ...this.plane.app.core, clock: { now: this.now } }
    const { core, hosts } = behindFuse(fuse, shared, this.plane.app.hosts)
    const context = { core, hosts, stopping: new AbortController().signal }
    return {
      fuse,
      core,
      phones: createPhoneService(core),
      power: createPowerService(core, hosts),
      tasks: { ...timerTasks(context), ...hostTasks(context) },
    }
  }

  /** Passes the agent's heartbeat to the process, and runs its host sweep. */
  async hearHosts({ core }: Process): Promise<void> {
    if (!this.isSilent) await foldHeartbeat(core, this.agent, this.heartbeat())
    await sweepHosts(core, listeningForLong(), this.listened, unheard)
  }

  private heartbeat(): Heartbeat {
    this.sequence += 1n
    const at = this.now().toISOString()
    const seen = [...this.agent.devices.values()].filter(({ serial }) => !this.gone.has(serial))
    return {
      host_id: this.agent.hostId,
      sequence: Number(this.sequence) + 1_000_000,
      at,
      version: 'double',
      address: this.address,
      load: 0,
      epoch: this.agent.epoch,
      devices: seen.map((device) => ({
        serial: device.serial,
        link: device.link,
        fencing_number: Number(device.fencing),
        custody: custodyOf(device),
        maker: 'Test',
        model: 'Double',
        sdk: 30,
        reason: null,
        proof_of_life_at: at,
      })),
    }
  }
}

export async function openStage(world: World): Promise<Stage> {
  const plane = await world.start({ env: { PHONERACK_LIFECYCLE_PER_MINUTE: '100000' } })
  const agent = await plane.rack(devices, { beatMs: 200 })
  agent.pause()
  await plane.app.quiesce()
  const { address } = await plane.app.core.db.host.findUniqueOrThrow({ where: { id: agent.hostId } })
  if (address === null) throw new Error('the host said no address')
  return new Stage(plane, agent, address)
}
