/** The span of each call to a host, whose `traceparent` goes to the agent. An interceptor of `clients.ts`. */
import { InterceptingCall, status, type Interceptor } from '@grpc/grpc-js'
import { noteCallFields } from '@phonerack/shared'
import { attributesOf, failSpan, openCallSpan, traceHeader } from '@phonerack/shared/tracing'

/** Names by status code. A host may send any number. */
const statusNames: Partial<Record<number, string>> = status

/**
 * Calls in which the client streams, such as a live view, get no span, because they last as long as their client stays.
 */
export const traced =
  (hostId: string): Interceptor =>
  (options, nextCall) =>
    new InterceptingCall(nextCall(options), {
      start(metadata, listener, next) {
        noteCallFields({ host: hostId })
        const { path, requestStream } = options.method_definition
        const attributes = () => ({
          'rpc.system': 'grpc',
          'rpc.method': path.slice(1),
          ...attributesOf({ host: hostId }),
        })
        const span = requestStream
          ? null
          : openCallSpan(path.slice(path.lastIndexOf('.') + 1), attributes, (header) =>
              metadata.set(traceHeader, header),
            )
        if (span === null) return next(metadata, listener)
        next(metadata, {
          onReceiveStatus(ended, pass) {
            const name = statusNames[ended.code] ?? 'UNKNOWN'
            span.setAttribute('rpc.response.status_code', name)
            if (ended.code !== status.OK) failSpan(span, name)
            span.end()
            pass(ended)
          },
        })
      },
    })
