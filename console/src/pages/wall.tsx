/** The phones of a project with pictures of their screens. Loaded when it is first opened. docs/decisions/0297 */
import { Link } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { type NoPicture, readThumbnail } from '../api/thumbnails'
import { type Phone } from '../api/types'
import { type Need } from '../shell/handoffs'
import { NeedBadge, PhoneBadge } from './phone/status'
import { Watcher } from './wall/watcher'

/** Milliseconds between two checks for due requests. */
const tickMs = 250

const reasons: Readonly<Record<NoPicture, string>> = {
  secure: 'The app forbids pictures',
  asleep: 'The screen is off',
  typed: 'Hidden for 15 minutes after typing',
  busy: 'No picture while the phone is busy',
  unreadable: 'No picture',
  controlled: 'Hidden while a person controls it',
}

interface Wall {
  watcher: Watcher
  /** Notifies the watcher when a card comes into view or leaves it. Returns a function that stops observing. */
  observe: (id: string, card: Element) => () => void
}

function createWall(project: string): Wall {
  const watcher = new Watcher((id, tag, signal) => readThumbnail(project, id, tag, signal))
  const ids = new WeakMap<Element, string>()
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const id = ids.get(target)
      if (id !== undefined) watcher.setVisible(id, isIntersecting)
    }
  })
  return {
    watcher,
    observe(id, card) {
      ids.set(card, id)
      seen.observe(card)
      return () => seen.unobserve(card)
    },
  }
}

interface WallProps {
  project: string
  phones: readonly Phone[]
  /** The cards, by the ID of the phone. */
  needs: ReadonlyMap<string, Need>
}

/** The caller renders it with the project as React key, so that each project has separate requests. */
export default function PhoneWall({ project, phones, needs }: WallProps) {
  const [wall] = useState(() => createWall(project))
  useEffect(() => {
    const { watcher } = wall
    const watchWhileShown = (): void => (document.hidden ? watcher.stop() : watcher.tick())
    const timer = setInterval(watchWhileShown, tickMs)
    document.addEventListener('visibilitychange', watchWhileShown)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', watchWhileShown)
      watcher.stop()
    }
  }, [wall])
  return (
    <ul
      aria-label="Phones"
      className="grid grid-cols-[repeat(auto-fill,minmax(8.5rem,1fr))] gap-2 p-2 sm:gap-3 sm:p-3"
    >
      {phones.map((phone) => (
        <li
          key={phone.id}
          className="min-w-0 p-1 [content-visibility:auto] [contain-intrinsic-size:auto_8.5rem_auto_20rem]"
        >
          <Link
            to="/projects/$project/phones/$phone"
            params={{ project, phone: phone.id }}
            preload={false}
            className="group grid gap-2 rounded-md"
          >
            {phone.status === 'ready' && phone.session !== null ? (
              <Picture wall={wall} phone={phone} />
            ) : (
              <Frame>The phone does not run</Frame>
            )}
            <span className="truncate font-medium group-hover:underline group-hover:underline-offset-2">
              <bdi>{phone.name}</bdi>
            </span>
            <span>
              {needs.has(phone.id) ? (
                <NeedBadge need={needs.get(phone.id)} />
              ) : (
                <PhoneBadge status={phone.status} />
              )}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

const frame = 'grid aspect-[9/18] place-items-center overflow-hidden rounded-md border border-border bg-code'

const Frame = ({ children }: { children: string }) => (
  <span className={frame}>
    <span className="p-3 text-center text-[13px] text-muted">{children}</span>
  </span>
)

function Picture({ wall: { watcher, observe }, phone: { id, name } }: { wall: Wall; phone: Phone }) {
  const card = useRef<HTMLSpanElement>(null)
  const subscribe = useCallback(
    (onChange: () => void) => {
      const remove = watcher.add(id, onChange)
      // The observer reports at once whether the card is in view.
      const end = card.current ? observe(id, card.current) : undefined
      return () => {
        end?.()
        remove()
      }
    },
    [watcher, observe, id],
  )
  const { url, why } = useSyncExternalStore(subscribe, () => watcher.shown(id))
  return (
    <span ref={card} className={frame}>
      {url === null ? (
        <span className="p-3 text-center text-[13px] text-muted">{why === null ? '' : reasons[why]}</span>
      ) : (
        <img src={url} alt={`Screen of ${name}`} draggable={false} className="size-full object-contain" />
      )}
    </span>
  )
}
