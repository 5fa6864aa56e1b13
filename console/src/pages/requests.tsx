/** Requests of agents for help, and phones that people have taken over, in all projects of the user. */
import { Link } from '@tanstack/react-router'
import { Bell, LifeBuoy } from 'lucide-react'
import { useState } from 'react'
import { useSession } from '../api/session'
import { type Handoff } from '../api/types'
import { undirected } from '../direction'
import { useHandoffs } from '../shell/handoffs'
import { Button } from '../ui/button'
import { ListCard } from '../ui/list-card'
import { Page } from '../ui/page'
import { Time } from '../ui/time'
import { NeedBadge } from './phone/status'

export function Requests() {
  const list = useHandoffs()
  return (
    <Page
      title="Requests"
      description="Agents that wait for a person, and phones that a person has taken over. The list is live."
      actions={<Notify />}
    >
      <ListCard
        query={list}
        items={list.data ?? []}
        icon={<LifeBuoy className="size-5" />}
        label="Requests"
        none="Nobody waits"
        hint={<p>An agent that needs a person shows up here.</p>}
      >
        {(item) => <Row key={item.id} item={item} />}
      </ListCard>
    </Page>
  )
}

function Row({ item }: { item: Handoff }) {
  const project = useSession().projects.find(({ id }) => id === item.project_id)
  return (
    <li className="grid gap-1 px-4 py-3 sm:px-5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          to="/projects/$project/phones/$phone"
          params={{ project: item.project_id, phone: item.phone.id }}
          className="min-w-0 truncate rounded font-medium hover:underline hover:underline-offset-2"
        >
          <bdi>{item.phone.name}</bdi>
        </Link>
        <NeedBadge need={item.status} />
      </p>
      {item.message !== null && (
        <p className="break-words whitespace-pre-wrap">
          <bdi>{undirected(item.message)}</bdi>
        </p>
      )}
      <p className="text-[13px] text-muted">
        {project && (
          <>
            <bdi>{project.name}</bdi> ·{' '}
          </>
        )}
        {item.is_you ? (
          'by you, '
        ) : item.by === null ? (
          ''
        ) : (
          <>
            by <bdi>{undirected(item.by)}</bdi>,{' '}
          </>
        )}
        since <Time at={item.created_at} /> · ends <Time at={item.expires_at} />
      </p>
    </li>
  )
}

/** Asks for permission to notify. Browsers ask the person only once. */
function Notify() {
  const [permission, setPermission] = useState(() =>
    'Notification' in window ? Notification.permission : 'denied',
  )
  if (permission !== 'default') return null
  return (
    <Button onClick={() => void Notification.requestPermission().then(setPermission)}>
      <Bell aria-hidden /> Notify me
    </Button>
  )
}
