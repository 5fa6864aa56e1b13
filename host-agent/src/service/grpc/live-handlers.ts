/** LiveService: converts between one stream's messages and a person's live view of a phone. */
import type { ServerDuplexStream } from '@grpc/grpc-js'
import type { LiveServiceServer, OpenWatch, WatchRequest, WatchResponse } from '@phonerack/proto'
import { ApiError, HostRefused, Progress, type Logger } from '@phonerack/shared'
import { later } from '../../base/later.js'
import { prepare } from '../../media/live/prepare.js'
import { standBy } from '../../media/live/stand-by.js'
import { watch, watchTimes, type Inlet, type Outlet } from '../../media/live/watch.js'
import type { Registry } from '../../devices/registry.js'
import { answer, callerOf, unary } from './call.js'
import { toApiError, toServiceError } from './errors.js'

type Call = ServerDuplexStream<WatchRequest, WatchResponse>
type WatchEvent = NonNullable<WatchRequest['event']>

/** Milliseconds within which the first message names the phone. */
const openMs = 10_000

/** @param stopping ends all live views; viewers reconnect after the agent's restart */
export function createLiveHandlers(
  registry: Registry,
  stopping: AbortSignal,
  log: Logger,
  times = watchTimes,
): LiveServiceServer {
  return {
    prepare: unary(log, 'Prepare', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      await untilStopping(stopping, progress, (within) =>
        registry.gate(caller.serial).watch(caller, within, prepare),
      )
      return {}
    }),
    standBy: unary(log, 'StandBy', async ({ assignment }, progress) => {
      const caller = callerOf(assignment)
      await untilStopping(stopping, progress, (within) =>
        registry.gate(caller.serial).watch(caller, within, standBy),
      )
      return {}
    }),
    watch(call: Call): void {
      void answer(call, log, 'Watch', (progress) =>
        untilStopping(stopping, progress, (within) => serve(call, registry, log, times, within)),
      ).then(
        () => call.end(),
        (error: unknown) => call.emit('error', toServiceError(toApiError(error, log))),
      )
    },
  }
}

/** @throws HostRefused when the agent stops */
async function untilStopping(
  stopping: AbortSignal,
  progress: Progress,
  work: (within: Progress) => Promise<void>,
): Promise<void> {
  try {
    await work(Progress.for(progress.remaining, progress.signal, stopping))
  } catch (error) {
    throw stopping.aborted ? new HostRefused('stopping', error) : error
  }
  if (stopping.aborted) throw new HostRefused('stopping')
}

async function serve(
  call: Call,
  registry: Registry,
  log: Logger,
  times: typeof watchTimes,
  progress: Progress,
): Promise<void> {
  const done = new AbortController()
  call.once('end', () => done.abort())
  const within = Progress.for(progress.remaining, progress.signal, done.signal)
  const { open, inlet } = readerOf(call)
  const { assignment, control } = await within.within(openMs).race('the first message', () => open)
  const caller = callerOf(assignment)
  const outlet: Outlet = {
    send: (message) =>
      new Promise((resolve, reject) => {
        call.write(message, (error: Error | null | undefined) => (error ? reject(error) : resolve()))
      }),
  }
  const named = log.child({ serial: caller.serial, phoneId: caller.phoneId, requestId: caller.requestId })
  const gate = registry.gate(caller.serial)
  const onTyped = () => gate.typed.note(caller.phoneId)
  await gate.watch(caller, within, (device, progressOfView) =>
    watch({ device, control, outlet, inlet, onTyped, progress: progressOfView, times, log: named }),
  )
}

/** Separates the first message from the following messages, which are kept until there is a listener. */
function readerOf(call: Call): { open: Promise<OpenWatch>; inlet: Inlet } {
  const first = later<OpenWatch | null>()
  const early: WatchEvent[] = []
  let isOpen = false
  let listener = (event: WatchEvent): void => void early.push(event)
  call.on('data', ({ event }: WatchRequest) => {
    if (isOpen) {
      if (event) listener(event)
      return
    }
    isOpen = true
    first.resolve(event?.$case === 'open' ? event.value : null)
    // The stream is paused until the view is ready.
    call.pause()
  })
  return {
    open: first.promise.then((value) => {
      if (!value) throw new ApiError('validation_failed', { message: 'The first message must open a view.' })
      return value
    }),
    inlet: {
      onEvent(listen) {
        listener = listen
        for (const event of early.splice(0)) listen(event)
        call.resume()
      },
      pause: () => void call.pause(),
      resume: () => void call.resume(),
    },
  }
}
