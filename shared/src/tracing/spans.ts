/**
 * Spans of requests, jobs, calls to hosts and their parts. Until `sdk.ts` switches tracing on, every function here only runs
 * its work. Names and attributes are IDs, names of our tables, counts and error codes: never text of a tenant, a phone or a
 * client. docs/decisions/0255
 */
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
} from '@opentelemetry/api'
import { type CallFields } from '../call-fields.js'
import { ApiError } from '../errors.js'

export { type Attributes, type Span } from '@opentelemetry/api'

/** The name of the W3C header, in HTTP and in gRPC metadata. */
export const traceHeader = 'traceparent'

let isOn = false

/** Called by `sdk.ts` once the SDK is registered, and with false when it stops. */
export const setTracing = (on: boolean): void => void (isOn = on)

const tracer = trace.getTracer('phonerack')

const attributeNames = {
  request_id: 'phonerack.request.id',
  phone: 'phonerack.phone.id',
  host: 'phonerack.host.id',
  device: 'phonerack.device.id',
} as const satisfies Partial<Record<keyof CallFields, string>>

/** The IDs of the running work as attributes. */
export function attributesOf(fields: CallFields): Attributes {
  const attributes: Attributes = {}
  for (const field of Object.keys(attributeNames) as (keyof typeof attributeNames)[])
    if (fields[field] !== undefined) attributes[attributeNames[field]] = fields[field]
  return attributes
}

/**
 * Whether spans of parts are recorded. They are recorded only in a request, a job or a call, so that timers
 * do not start traces.
 */
const isTraced = (): boolean => isOn && trace.getActiveSpan()?.isRecording() === true

/** A part of the running work, such as one adb command. Without a recorded span around it, nothing is recorded. */
export const inPart = <T>(name: string, attributes: () => Attributes, work: () => Promise<T>): Promise<T> =>
  isTraced() ? during(tracer.startSpan(name, { attributes: attributes() }), context.active(), work) : work()

/** The start of a trace: a job. */
export const inTrace = <T>(name: string, attributes: () => Attributes, work: () => Promise<T>): Promise<T> =>
  isOn
    ? during(tracer.startSpan(name, { root: true, attributes: attributes() }), context.active(), work)
    : work()

/** The contents of the span of a request or a call, computed only while tracing is on. */
export interface Arrival {
  /** The `traceparent` of the request or call. */
  header: string | undefined
  attributes: Attributes
}

/** The work of a call from a trusted caller, which is the parent. */
export function inServerSpan<T>(name: string, arrival: () => Arrival, work: () => Promise<T>): Promise<T> {
  if (!isOn) return work()
  const { header, attributes } = arrival()
  const parent = remote(header)
  const options = { kind: SpanKind.SERVER, attributes }
  return during(tracer.startSpan(name, options, parent), parent, work)
}

export interface OpenSpan {
  span: Span
  /** Runs `work` inside of the span. */
  run<T>(work: () => T): T
}

/**
 * The span of a request from an untrusted client. The caller of this function ends the span. Null while
 * tracing is off. The client's `traceparent` is only a link: as a parent it would decide which traces are
 * sampled, and could add spans to any trace.
 */
export function openRequestSpan(arrival: () => Arrival & { name: string }): OpenSpan | null {
  if (!isOn) return null
  const { name, header, attributes } = arrival()
  const client = trace.getSpanContext(remote(header))
  const links: Link[] = client ? [{ context: client }] : []
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, root: true, attributes, links })
  const inside = trace.setSpan(ROOT_CONTEXT, span)
  return { span, run: (work) => context.with(inside, work) }
}

/**
 * The span of a call to another of our programs. The caller of this function ends the span. `send` gets the
 * `traceparent` even if the trace is not sampled, so that the other side does not start its own trace. Null
 * without a trace.
 */
export function openCallSpan(
  name: string,
  attributes: () => Attributes,
  send: (header: string) => void,
): Span | null {
  if (!isOn || !trace.getActiveSpan()) return null
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes: attributes() })
  propagation.inject(trace.setSpan(context.active(), span), null, {
    set: (_carrier, key, value) => {
      if (key === traceHeader) send(value)
    },
  })
  return span
}

/** Marks a span as failed. @param code of our table, of gRPC, or the name of a class */
export function failSpan(span: Span, code: string): void {
  span.setAttribute('error.type', code)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The span omits the message, because the message can quote a tenant, a phone or a path. */
const codeOfError = (error: unknown): string =>
  error instanceof ApiError ? error.code : error instanceof Error ? error.name : 'unknown'

async function during<T>(span: Span, parent: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(parent, span), work)
  } catch (error) {
    failSpan(span, codeOfError(error))
    throw error
  } finally {
    span.end()
  }
}

/** The context of a `traceparent`; the root context if it is not valid. Never reads `tracestate`. */
const remote = (header: string | undefined): Context =>
  header === undefined
    ? ROOT_CONTEXT
    : propagation.extract(ROOT_CONTEXT, null, {
        keys: () => [traceHeader],
        get: (_carrier, key) => (key === traceHeader ? header : undefined),
      })
