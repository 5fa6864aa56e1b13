/**
 * gRPC clients that validate each response while decoding it. An invalid response ends its call with INTERNAL, which
 * `calls.ts` reads as a fault of the host.
 */
import { makeGenericClientConstructor, type ServiceDefinition } from '@grpc/grpc-js'
import {
  HostServiceClient,
  HostServiceService,
  LiveServiceClient,
  LiveServiceService,
  RecordingServiceClient,
  RecordingServiceService,
} from '@phonerack/proto'
import { makeStorable, shorten } from '@phonerack/shared'
import { type z } from 'zod'
import { hasFewFields } from './few-fields.js'
import { hostAnswers, liveAnswers, maxEntries, recordingAnswers, type Answers } from './schemas.js'

/** Called with the call's name and the path of the invalid field, never with its value. */
type OnMalformed = (call: string, where: string) => void

class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer'
}

const shown = 3

/** Names the invalid fields without their values. */
export function placesOf(error: z.ZodError, ...within: string[]): string {
  const { issues } = error
  const places = issues
    .slice(0, shown)
    .map(({ path, code }) => `${[...within, ...path].join('.') || 'the whole answer'} (${code})`)
  const more = issues.length > shown ? ` and ${issues.length - shown} more` : ''
  return shorten(makeStorable(`${places.join(', ')}${more}`), 300)
}

/** The service definition with validated responses. */
function checking<S extends ServiceDefinition>(
  service: S,
  answers: Answers<S>,
  onMalformed: OnMalformed,
): ServiceDefinition {
  const methods = Object.entries(service).map(([name, method]) => {
    const schema = (answers as Record<string, z.ZodType>)[name]
    if (!schema) throw new Error(`no schema for the response of ${name}`)
    const responseDeserialize = (bytes: Buffer): unknown => {
      const { data, error } = schema.safeParse(decode(method.responseDeserialize, bytes))
      if (!error) return data
      const where = placesOf(error)
      onMalformed(name, where)
      throw new MalformedAnswer(`${name}: ${where}`)
    }
    return [name, { ...method, responseDeserialize }] as const
  })
  return Object.fromEntries(methods)
}

/**
 * Returns undefined, which no schema accepts, for bytes that are not such a message or that have more fields than any
 * response.
 */
function decode(deserialize: (bytes: Buffer) => unknown, bytes: Buffer): unknown {
  if (!hasFewFields(bytes, maxEntries + 100)) return undefined
  try {
    return deserialize(bytes)
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

/** Client constructors of the three services. */
export function checkedClients(onMalformed: OnMalformed) {
  const make = <S extends ServiceDefinition>(
    service: S,
    { serviceName }: { serviceName: string },
    answers: Answers<S>,
  ): unknown => makeGenericClientConstructor(checking(service, answers, onMalformed), serviceName)
  // These constructors equal the generated constructors, except for the decoding.
  return {
    Host: make(HostServiceService, HostServiceClient, hostAnswers) as typeof HostServiceClient,
    Live: make(LiveServiceService, LiveServiceClient, liveAnswers) as typeof LiveServiceClient,
    Recording: make(
      RecordingServiceService,
      RecordingServiceClient,
      recordingAnswers,
    ) as typeof RecordingServiceClient,
  }
}
