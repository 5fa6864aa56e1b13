/** The webhooks of a project: where its events are sent. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Plus, Webhook as Icon } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/client'
import { isAtLeast } from '../api/session'
import { type EventType, type Webhook } from '../api/types'
import { useChanges } from '../shell/changes'
import { useProject } from '../shell/project'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { ListCard } from '../ui/list-card'
import { Name } from '../ui/name'
import { Page } from '../ui/page'
import { Time } from '../ui/time'
import { WebhookActions } from './webhooks/actions'
import { NewWebhook } from './webhooks/new-webhook'
import { stateOf, typesText } from './webhooks/texts'

/** Milliseconds between two reads of the list. A failed attempt is not an event. */
const refreshMs = 10_000

export function Webhooks() {
  const { project: id } = useParams({ from: '/inside/projects/$project/webhooks' })
  const mayChange = isAtLeast(useProject()?.role ?? 'viewer', 'member')
  const [isNewOpen, setIsNewOpen] = useState(false)
  useChanges(id)
  const list = useQuery({
    queryKey: ['webhooks', id],
    queryFn: () => call('GET /projects/:project/webhooks', { project: id }),
    refetchInterval: refreshMs,
  })
  const { data: webhooks = [], types = [], most = 10 } = list.data ?? {}
  return (
    <Page
      title="Webhooks"
      description={`Each event of the project is signed and sent to your addresses within seconds. A delivery that fails is sent again. A project has at most ${most}.`}
      actions={
        mayChange && (
          <Button
            look="primary"
            disabled={list.data === undefined || webhooks.length >= most}
            onClick={() => setIsNewOpen(true)}
          >
            <Plus aria-hidden /> New webhook
          </Button>
        )
      }
    >
      <ListCard
        query={list}
        items={webhooks}
        icon={<Icon className="size-5" />}
        label="Webhooks"
        none="No webhooks"
        hint={mayChange && <p>Create a webhook to receive events at your server.</p>}
      >
        {(webhook) => (
          <Row key={webhook.id} project={id} webhook={webhook} types={types} mayChange={mayChange} />
        )}
      </ListCard>
      <NewWebhook project={id} types={types} isOpen={isNewOpen} onOpenChange={setIsNewOpen} />
    </Page>
  )
}

interface RowProps {
  project: string
  webhook: Webhook
  types: readonly EventType[]
  mayChange: boolean
}

function Row({ project, webhook, types, mayChange }: RowProps) {
  const { tone, name, text } = stateOf(webhook)
  return (
    <li className="flex items-start gap-3 px-4 py-3 sm:items-center sm:px-5">
      <div className="grid min-w-0 flex-1 gap-x-6 gap-y-1 sm:grid-cols-[minmax(0,1fr)_10rem_11rem] sm:items-center">
        <div className="min-w-0">
          <p className="truncate font-medium">
            <Link
              to="/projects/$project/webhooks/$webhook"
              params={{ project, webhook: webhook.id }}
              className="rounded hover:underline hover:underline-offset-2"
            >
              <bdi>{webhook.url}</bdi>
            </Link>
          </p>
          <p className="truncate text-[13px] text-muted">
            {webhook.description !== null && (
              <>
                <Name>{webhook.description}</Name>
                {' · '}
              </>
            )}
            {typesText(webhook.events)}
          </p>
          {text !== null && <p className="text-[13px] text-muted">{text}</p>}
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:contents">
          <div>
            <Badge tone={tone}>{name}</Badge>
          </div>
          <p className="text-[13px] text-muted">
            created <Time at={webhook.created_at} />
          </p>
        </div>
      </div>
      {mayChange && <WebhookActions project={project} webhook={webhook} types={types} />}
    </li>
  )
}
