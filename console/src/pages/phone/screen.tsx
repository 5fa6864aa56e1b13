/** The screen as agents see it: numbered elements over the picture, the targets of the chosen element, and the text. */
import { useQuery } from '@tanstack/react-query'
import { RotateCw, ScanText } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client'
import { type Element, type Screen } from '../../api/types'
import { Button } from '../../ui/button'
import { cn } from '../../ui/cn'
import { Secret } from '../../ui/copy'
import { Failed } from '../../ui/failed'
import { withEscapes } from '../../direction'
import { Card, Loading } from '../../ui/page'
import { Time } from '../../ui/time'
import { byArea, elementName, placeOf, targetsOf } from './targets'

export function ScreenView({ project, phone }: { project: string; phone: string }) {
  const [ref, setRef] = useState<number | null>(null)
  const read = useQuery({
    queryKey: ['screen', project, phone],
    queryFn: () => call('GET /projects/:project/phones/:phone/screen', { project, phone }),
    // Each read sends a request to the phone, so the page reads only on demand.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const screen = read.data
  const chosen = screen?.elements.find((element) => element.ref === ref)
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">
          The elements as an agent gets them. Choose one to copy a target.
          {screen && (
            <>
              {' '}
              Read <Time at={screen.taken_at} />.
            </>
          )}
        </p>
        <Button
          size="small"
          isBusy={read.isFetching}
          onClick={() => {
            setRef(null)
            void read.refetch()
          }}
        >
          <RotateCw aria-hidden /> Read again
        </Button>
      </div>
      <Card>
        {read.isPending ? (
          <Loading />
        ) : read.isError ? (
          <Failed query={read} />
        ) : (
          <div className="grid items-start gap-4 p-4 @xl:grid-cols-[minmax(0,17rem)_minmax(0,1fr)]">
            <Overlay screen={read.data} chosen={ref} onChoose={setRef} />
            <div className="grid min-w-0 gap-4">
              {chosen ? (
                <Details screen={read.data} element={chosen} />
              ) : (
                <p className="flex items-center gap-2 text-muted">
                  <ScanText className="size-4" aria-hidden /> {read.data.elements.length} elements
                </p>
              )}
              <pre
                tabIndex={0}
                aria-label="The screen as text"
                className="max-h-96 overflow-auto rounded-md border border-border bg-code p-3 font-mono text-[13px] leading-relaxed"
              >
                {withEscapes(read.data.text)}
              </pre>
            </div>
          </div>
        )}
      </Card>
    </div>
  )
}

interface OverlayProps {
  screen: Screen
  chosen: number | null
  onChoose: (ref: number) => void
}

function Overlay({ screen, chosen, onChoose }: OverlayProps) {
  const { screenshot, screen: size } = screen
  return (
    <div
      className="relative w-full overflow-hidden rounded border border-border bg-black"
      style={{ aspectRatio: `${size.width} / ${size.height}` }}
    >
      {screenshot && (
        <img
          src={`data:image/${screenshot.format};base64,${screenshot.data}`}
          alt="The screen of the phone"
          className="absolute inset-0 size-full"
        />
      )}
      <ul aria-label="Elements">
        {byArea(screen.elements).map((element) => {
          const place = placeOf(element, size)
          if (!place) return null
          const { left, top, width, height } = place
          const isChosen = element.ref === chosen
          return (
            <li key={element.ref}>
              <button
                type="button"
                aria-label={elementName(element)}
                aria-pressed={isChosen}
                onClick={() => onChoose(element.ref)}
                className={cn(
                  'absolute border text-left hover:z-10 hover:bg-[#2563eb]/20',
                  isChosen ? 'z-10 border-2 border-[#f59e0b] bg-[#f59e0b]/25' : 'border-[#2563eb]/80',
                )}
                style={{ left: `${left}%`, top: `${top}%`, width: `${width}%`, height: `${height}%` }}
              >
                <span
                  className={cn(
                    'absolute top-0 left-0 rounded-br px-1 font-mono text-[10px] leading-3.5 font-semibold',
                    isChosen ? 'bg-[#f59e0b] text-black' : 'bg-[#1d4ed8] text-white',
                  )}
                  aria-hidden
                >
                  {element.ref}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Details({ screen, element }: { screen: Screen; element: Element }) {
  const facts = [
    ['Type', element.type],
    ['Text', element.text],
    ['Description', element.desc],
    ['ID', element.id],
    ['Place', element.bounds.join(', ')],
    ['State', element.state.join(', ')],
  ].filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== '')
  return (
    <section aria-label={`Element ${element.ref}`} className="grid gap-3">
      <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-y-1">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <div className="grid gap-2">
        {targetsOf(screen, element).map((target) => (
          <Secret key={target} text={target} what="target" />
        ))}
      </div>
    </section>
  )
}
