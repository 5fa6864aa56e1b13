/** The agent's servers on the phone: after their end, while they wait, and without them. */
import { Progress } from '@phonerack/shared'
import { command } from '../../../adb/quote.js'
import { need } from '../../grpc/call.js'
import { uiServer } from '../../../adb/parts/parts.js'
import { isReady } from '../../../phone/ui-server/session.js'
import { Failed, type Check } from '../check.js'
import { atMost, timed, type PhoneUnderTest } from '../phone.js'
import { openSettings } from './input.js'
import { observeScreen } from './screen.js'
import { film, limits as videoLimits, until } from './video.js'

/** Milliseconds. `back`: a caller waits 3 s for the UI server, and then reads the tree without it. */
const limits = { back: 10_000, waiting: 15_000, idle: 1500 }

/** Waits until the UI server answers. @returns milliseconds @throws Failed */
async function uiServerBack(phone: PhoneUnderTest, progress: Progress): Promise<number> {
  const transport = await phone.transport(progress)
  const within = atMost(limits.back, progress)
  const { ms } = await timed(async () => {
    while (!(await isReady(transport, within).catch(() => false))) {
      if (within.expired) throw new Failed('the UI server did not come back')
      await progress.sleep(50, 'the UI server')
    }
  })
  return ms
}

export const uiRecovery: Check = {
  name: 'ui_recovery',
  claim: 'The screen is read right after the UI server was ended, and the server comes back.',
  needs: ['tree'],
  limitMs: 90_000,
  async run(phone, progress) {
    await openSettings(phone, progress)
    const transport = await phone.transport(progress)
    await transport.shell(command('am', 'force-stop', uiServer.package), progress)
    const { result, ms } = await timed(() => observeScreen(phone, progress, true))
    const back = await uiServerBack(phone, progress)
    return { evidence: [`${result.elements.length} elements`], times: { tree: ms, back: ms + back } }
  },
}

export const dump: Check = {
  name: 'dump',
  claim: '`uiautomator dump` reads the screen while no UI server runs.',
  needs: ['tree'],
  limitMs: 120_000,
  async run(phone, progress) {
    await openSettings(phone, progress)
    const { result: source, ms } = await timed(() => phone.treeByDump(progress))
    const back = await uiServerBack(phone, progress)
    const times = { dump: ms, back }
    if (!source.includes('</hierarchy>'))
      throw new Failed(`\`uiautomator dump\` returned no tree: ${source.slice(0, 200)}`, {
        evidence: [],
        times,
      })
    return { evidence: [`hierarchy of ${source.length} characters`], times }
  },
}

interface Server {
  pid: string
  line: string
}

/** Returns the scrcpy servers that run on the phone. */
export async function scrcpyServers(phone: PhoneUnderTest, progress: Progress): Promise<Server[]> {
  const transport = await phone.transport(progress)
  const { stdout } = await transport.shell(command('ps', '-A', '-o', 'PID,PPID,RSS,TIME,ARGS'), progress)
  return stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line.includes('com.genymobile.scrcpy.Server'))
    .map((line) => ({ pid: line.split(' ')[0] ?? '', line: line.slice(0, 120) }))
}

async function untilServers(phone: PhoneUnderTest, count: number, progress: Progress): Promise<Server[]> {
  const within = atMost(limits.waiting, progress)
  for (;;) {
    const found = await scrcpyServers(phone, progress)
    if (found.length === count) return found
    if (within.expired)
      throw new Failed(`${found.length} scrcpy servers run on the phone instead of ${count}`, {
        evidence: found.map(({ line }) => line),
      })
    await progress.sleep(100, 'the scrcpy servers')
  }
}

const pidsOf = (servers: readonly Server[]): string => servers.map(({ pid }) => pid).join(', ')

export const spareVideo: Check = {
  name: 'spare_video',
  claim: 'A second scrcpy server waits without filming, and the next video uses it.',
  needs: ['video'],
  limitMs: 90_000,
  async run(phone, progress) {
    // An earlier video runs for some seconds after its last viewer.
    await untilServers(phone, 1, progress)
    const over = new AbortController()
    const standing = await phone
      .gate()
      .read(phone.caller(), progress, (device) =>
        Promise.resolve({ ended: need(device.video, 'video').standBy(Progress.for(60_000, over.signal)) }),
      )
    try {
      const { result: waiting, ms } = await timed(() => untilServers(phone, 2, progress))
      await progress.sleep(limits.idle, 'the waiting server')
      const later = await scrcpyServers(phone, progress)
      const evidence = later.map(({ line }) => line)
      if (pidsOf(later) !== pidsOf(waiting))
        throw new Failed(`servers ${pidsOf(waiting)} became ${pidsOf(later)}`, { evidence })
      const { result: stream, ms: opened } = await timed(() => film(phone, progress))
      try {
        const { firstPicture } = videoLimits
        const isFilming = () => stream.packets.length > 0
        const first = await until(stream, isFilming, firstPicture, 'the first picture', progress)
        const filming = await scrcpyServers(phone, progress)
        if (pidsOf(filming) !== pidsOf(waiting))
          throw new Failed(
            `server ${pidsOf(waiting)} waited, but server ${pidsOf(filming)} sends the video`,
            { evidence },
          )
        return { evidence, times: { ready: ms, first_picture: opened + first } }
      } finally {
        stream.close()
      }
    } finally {
      over.abort()
      await standing.ended
    }
  },
}
