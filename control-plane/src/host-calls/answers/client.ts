/**
 * gRPC clients that check each answer where it is decoded, before anything else sees it. One that does not fit ends its call
 * with INTERNAL; `calls.ts` reads that as the host's fault.
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
import { hostAnswers, liveAnswers, mostEntries, recordingAnswers, type Answers } from './schemas.js'

/** Called with the call's name and the place in its answer that does not fit; never with what stands there. */
export type OnMalformed = (call: string, where: string) => void

export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer'
}

const shown = 3

/** Names the fields that do not fit, without their values. */
export function placesOf(error: z.ZodError, ...within: string[]): string {
  const { issues } = error
  const places = issues
    .slice(0, shown)
    .map(({ path, code }) => `${[...within, ...path].join('.') || 'the whole answer'} (${code})`)
  const more = issues.length > shown ? ` and ${issues.length - shown} more` : ''
  return shorten(makeStorable(`${places.join(', ')}${more}`), 300)
}

/** The service with its answers checked. */
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

/** Undefined, which fits no schema, for bytes that are no such message, or that hold more than any answer. */
function decode(deserialize: (bytes: Buffer) => unknown, bytes: Buffer): unknown {
  if (!hasFewFields(bytes, mostEntries + 100)) return undefined
  try {
    return deserialize(bytes)
  } catch (error) {
    if (error instanceof Error) return undefined
    throw error
  }
}

/** Constructors of the three services' clients. */
export function checkedClients(onMalformed: OnMalformed) {
  const make = <S extends ServiceDefinition>(
    service: S,
    { serviceName }: { serviceName: string },
    answers: Answers<S>,
  ): unknown => makeGenericClientConstructor(checking(service, answers, onMalformed), serviceName)
  // As the generated code has them: only what decodes answers differs.
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
