/** The steps of agents on a phone, newest first. The list follows new steps while the page is visible. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { call, messageOf, urlOf } from '../../api/client'
import { type Step } from '../../api/types'
import { Badge, type Tone } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Loaded } from '../../ui/failed'
import { undirected, withEscapes } from '../../direction'
import { ShowMore } from '../../ui/list-card'
import { Card, Loading } from '../../ui/page'
import { Time } from '../../ui/time'
import { actionText } from './action-text'
import { timelineOf, type Refused } from './timeline-entries'

/** Milliseconds between two reads. */
const refreshMs = 2000

const tones: Readonly<Record<Step['status'], Tone>> = {
  running: 'busy',
  succeeded: 'good',
  failed: 'danger',
  stopped: 'quiet',
  unknown: 'warn',
}

const shownActions = 3

interface Props {
  project: string
  phone: string
  /** Whether the phone runs and new steps are possible. */
  isRunning: boolean
}

export function Timeline({ project, phone, isRunning }: Props) {
  const list = useInfiniteQuery({
    queryKey: ['steps', project, phone],
    queryFn: ({ pageParam }) =>
      call('GET /projects/:project/phones/:phone/steps', { project, phone, cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    // A longer list is not read again, since each of its pages would be read, and older pages do not change.
    refetchInterval: ({ state }) => (isRunning && (state.data?.pages.length ?? 0) <= 1 ? refreshMs : false),
  })
  const steps = list.data?.pages.flatMap(({ data }) => data) ?? []
  const refused = useQuery({
    queryKey: ['refused', project, phone],
    queryFn: () => call('GET /projects/:project/activity', { project, phone, refused: true }),
    refetchInterval: isRunning && refreshMs,
  })
  const entries = timelineOf(steps, refused.data?.data ?? [], list.isSuccess && !list.hasNextPage)
  return (
    <section className="grid min-w-0 gap-3" aria-labelledby="steps">
      <h2 id="steps" className="sr-only">
        Steps
      </h2>
      <Card>
        <Loaded query={list}>
          {() =>
            entries.length === 0 ? (
              <p className="p-4 text-muted">
                Nothing yet. Each batch of actions that an agent sends is listed here with its results.
              </p>
            ) : (
              <ol aria-label="Steps" className="divide-y divide-border">
                {entries.map((entry) =>
                  entry.kind === 'step' ? (
                    <StepRow key={entry.step.id} project={project} phone={phone} step={entry.step} />
                  ) : (
                    <RefusedRow key={entry.id} calls={entry} />
                  ),
                )}
              </ol>
            )
          }
        </Loaded>
      </Card>
      <ShowMore pages={list} />
    </section>
  )
}

const RefusedRow = ({ calls: { at, text, count } }: { calls: Refused }) => (
  <li className="grid gap-1.5 px-4 py-3 sm:px-5">
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted">
      <Badge tone="warn">refused</Badge>
      <Time at={at} />
    </div>
    <p className="truncate">
      {text}
      {count > 1 && ` and ${count - 1} more`}
    </p>
    <p className="text-[13px] text-muted">A person controlled the phone.</p>
  </li>
)

const hasDrawnNothing = ({ results }: Step, index: number): boolean =>
  results.some((result) => result.index === index && result.changed === false)

function StepRow({ project, phone, step }: { project: string; phone: string; step: Step }) {
  const [isOpen, setIsOpen] = useState(false)
  const { actions, by } = step
  const isPerson = by.via === 'live'
  const failure = step.error?.message ?? step.results.find(({ ok }) => !ok)?.error?.message
  return (
    <li className="px-4 py-3 sm:px-5">
      <div className="flex items-start gap-4">
        <div className="grid min-w-0 flex-1 gap-1.5">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[13px] text-muted">
            {isPerson ? <Badge isKind>person</Badge> : <Badge tone={tones[step.status]}>{step.status}</Badge>}
            <Time at={step.started_at} />
            {step.duration_ms !== null && <span className="tabular-nums">{step.duration_ms} ms</span>}
            <bdi className="min-w-0 truncate">
              {isPerson ? 'a person with a live link' : (by.key_name ?? by.client ?? by.via)}
            </bdi>
          </div>
          <ol className="grid gap-0.5">
            {actions.slice(0, isOpen ? undefined : shownActions).map((action, index) => (
              <li key={index} className="truncate">
                {actionText(action)}
                {action.type !== 'shell' && hasDrawnNothing(step, index) && (
                  <span className="text-muted"> (nothing was drawn)</span>
                )}
                <CommandEnd result={step.results[index]} />
              </li>
            ))}
          </ol>
          {!isOpen && actions.length > shownActions && (
            <p className="text-[13px] text-muted">and {actions.length - shownActions} more</p>
          )}
          {failure !== undefined && (
            <p className="text-[13px] break-words text-danger">{undirected(failure)}</p>
          )}
          <div>
            <Button
              size="small"
              look="ghost"
              className="-ml-2 text-muted"
              aria-expanded={isOpen}
              onClick={() => setIsOpen(!isOpen)}
            >
              {isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
              Screen as text
            </Button>
          </div>
        </div>
        {step.picture && (
          <img
            src={urlOf('GET /projects/:project/phones/:phone/steps/:step/picture', {
              project,
              phone,
              step: step.id,
            })}
            alt="The screen after the step"
            width={step.picture.width}
            height={step.picture.height}
            loading="lazy"
            className="max-h-32 w-auto rounded border border-border"
          />
        )}
      </div>
      {isOpen && <Screen project={project} phone={phone} step={step.id} />}
    </li>
  )
}

/** How a shell command ended, and its output, if it is kept. */
function CommandEnd({ result }: { result: Step['results'][number] | undefined }) {
  const { exit_code: code, stdout, stderr } = result ?? {}
  if (result?.type !== 'shell' || code === undefined) return null
  const output = [stdout, stderr].filter(Boolean).join('\n').trim()
  return (
    <>
      <span className={code === 0 ? 'text-muted' : 'text-danger'}>
        {code === null ? ' was ended' : ` exit code ${code}`}
      </span>
      {output !== '' && (
        <pre className="max-h-40 overflow-auto font-mono text-[13px] whitespace-pre-wrap text-muted">
          {withEscapes(output)}
        </pre>
      )}
    </>
  )
}

function Screen({ project, phone, step }: { project: string; phone: string; step: string }) {
  const detail = useQuery({
    queryKey: ['step', project, phone, step],
    queryFn: () => call('GET /projects/:project/phones/:phone/steps/:step', { project, phone, step }),
    staleTime: Infinity,
  })
  if (detail.isPending) return <Loading />
  if (detail.isError) return <p className="pt-2 text-danger">{messageOf(detail.error)}</p>
  const text = detail.data.after?.text
  if (text === undefined)
    return <p className="pt-2 text-[13px] text-muted">The step did not read the screen.</p>
  return (
    <pre
      tabIndex={0}
      aria-label="The screen after the step, as text"
      className="mt-2 max-h-80 overflow-auto rounded-md border border-border bg-code p-3 font-mono text-[13px] leading-relaxed"
    >
      {withEscapes(text)}
    </pre>
  )
}
