/** The API keys of a project. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { call, messageOf } from '../api/client'
import { isAtLeast, useSession } from '../api/session'
import { type Key } from '../api/types'
import { useProject } from '../shell/project'
import { Badge } from '../ui/badge'
import { Button } from '../ui/button'
import { Ask, Confirm } from '../ui/dialog'
import { undirected } from '../direction'
import { ListCard } from '../ui/list-card'
import { Card, Page } from '../ui/page'
import { Time } from '../ui/time'
import { NewKey } from './keys/new-key'
import { Snippets } from './keys/snippets'

const presetNames = { agent: 'Agent', admin: 'Admin', 'read-only': 'Read-only' } as const

const stateOf = ({ revoked_at: revoked, expires_at: expires }: Key) => {
  if (revoked !== null) return 'revoked'
  return expires !== null && new Date(expires) <= new Date() ? 'expired' : 'active'
}

export function Keys() {
  const { project: id } = useParams({ from: '/inside/projects/$project/keys' })
  const { base_url: baseUrl } = useSession()
  const mayChange = isAtLeast(useProject()?.role ?? 'viewer', 'member')
  const [isNewOpen, setIsNewOpen] = useState(false)
  const list = useQuery({
    queryKey: ['keys', id],
    queryFn: () => call('GET /projects/:project/keys', { project: id }),
  })
  const keys = list.data?.data ?? []
  const active = keys.filter((key) => stateOf(key) === 'active')
  const ended = keys.filter((key) => stateOf(key) !== 'active')

  return (
    <Page
      title="API keys"
      description="Agents and programs use the API with a key or a connector. A project has at most 50 active keys and connectors."
      actions={
        mayChange && (
          <Button look="primary" onClick={() => setIsNewOpen(true)}>
            <Plus aria-hidden /> New key
          </Button>
        )
      }
    >
      <ListCard
        query={list}
        items={active}
        icon={<KeyRound className="size-5" />}
        label="Active keys"
        none="No active keys"
        hint={mayChange && <p>Create a key to use phones from your program or agent.</p>}
      >
        {(key) => <KeyRow key={key.id} project={id} item={key} mayChange={mayChange} />}
      </ListCard>
      {ended.length > 0 && (
        <details className="group">
          <summary className="w-fit cursor-pointer rounded text-muted">
            Revoked and expired ({ended.length})
          </summary>
          <Card className="mt-3">
            <ul aria-label="Ended keys" className="divide-y divide-border">
              {ended.map((key) => (
                <KeyRow key={key.id} project={id} item={key} mayChange={false} />
              ))}
            </ul>
          </Card>
        </details>
      )}
      <section className="grid min-w-0 gap-3" aria-labelledby="how">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h2 id="how" className="font-semibold">
            Use a key
          </h2>
          <a className="underline underline-offset-2" href={`${baseUrl}/docs`}>
            Documentation
          </a>
        </div>
        <Snippets baseUrl={baseUrl} apiKey={null} />
      </section>
      <NewKey project={id} isOpen={isNewOpen} onOpenChange={setIsNewOpen} />
    </Page>
  )
}

function KeyRow({ project, item, mayChange }: { project: string; item: Key; mayChange: boolean }) {
  const [isRevoking, setIsRevoking] = useState(false)
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => call('DELETE /projects/:project/keys/:key', { project, key: item.id }),
    onError: (error) => void toast.error(messageOf(error)),
    async onSuccess() {
      setIsRevoking(false)
      toast.success(`${undirected(item.name)} was revoked.`)
      await queries.invalidateQueries({ queryKey: ['keys', project] })
    },
  })
  const state = stateOf(item)
  return (
    <li className="flex items-center gap-3 px-4 py-3 sm:px-5">
      <div className="grid min-w-0 flex-1 gap-x-6 gap-y-1 sm:grid-cols-[minmax(0,1fr)_7rem_11rem] sm:items-center">
        <div className="min-w-0">
          <p className="truncate font-medium">
            <bdi>{item.name}</bdi>
          </p>
          <p className="truncate text-[13px] text-muted">
            {item.prefix !== null && <span className="font-mono">{item.prefix}… · </span>}
            created <Time at={item.created_at} /> ·{' '}
            {item.connector && <>connector of {item.connector.host} · </>}
            {item.profile === 'full' ? '' : `${item.profile} · `}
            {item.phones.length === 0
              ? 'all phones'
              : `only ${item.phones.length} ${item.phones.length === 1 ? 'phone' : 'phones'}`}
            {' · '}
            {item.last_used_at === null ? (
              'never used'
            ) : (
              <>
                last used <Time at={item.last_used_at} /> from {item.last_used_address}
              </>
            )}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 sm:contents">
          <div>
            <Badge isKind tone={item.preset === 'admin' ? 'warn' : 'quiet'}>
              {presetNames[item.preset]}
            </Badge>
          </div>
          <p className="text-[13px] text-muted">
            {state === 'revoked' && item.revoked_at !== null ? (
              <>
                revoked <Time at={item.revoked_at} />
              </>
            ) : item.connector !== null && state === 'active' ? (
              'until it is revoked'
            ) : item.expires_at === null ? (
              'never expires'
            ) : (
              <>
                {state === 'expired' ? 'expired ' : 'expires '}
                <Time at={item.expires_at} />
              </>
            )}
          </p>
        </div>
      </div>
      {mayChange && (
        <Button size="small" onClick={() => setIsRevoking(true)} aria-label={`Revoke ${item.name}`}>
          Revoke
        </Button>
      )}
      <Confirm
        isOpen={isRevoking}
        onOpenChange={setIsRevoking}
        title={<Ask verb="Revoke" name={item.name} />}
        description={
          item.connector
            ? 'The app is refused at once. It must ask for access again.'
            : 'Programs that use this key are refused at once. This cannot be undone.'
        }
        action={item.connector ? 'Revoke access' : 'Revoke key'}
        isBusy={revoke.isPending}
        onConfirm={() => revoke.mutate()}
      />
    </li>
  )
}
