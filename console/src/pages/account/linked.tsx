/** The user's accounts at identity providers. */
import { useQuery } from '@tanstack/react-query'
import { LogIn, Plus } from 'lucide-react'
import { useState } from 'react'
import { linkAt, listAccounts, unlinkAccount, useProviders, type LinkedAccount } from '../../api/providers'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Ask, Confirm } from '../../ui/dialog'
import { Empty, Loading } from '../../ui/page'
import { Time } from '../../ui/time'
import { Section, useChange } from './section'

export function Linked() {
  const providers = useProviders()
  const list = useQuery({ queryKey: ['accounts'], queryFn: listAccounts })
  const change = useChange('accounts')
  /** The account that is about to be removed. */
  const [removed, setRemoved] = useState<LinkedAccount | null>(null)
  const rows = list.data?.data ?? []
  if (providers.length === 0 && rows.length === 0) return null
  return (
    <Section
      id="accounts"
      title="Other ways to sign in"
      action={
        <div className="flex flex-wrap gap-2">
          {providers.map(({ id, name }) => (
            <Button key={id} isBusy={change.isPending} onClick={() => change.mutate(() => linkAt(id))}>
              <Plus aria-hidden /> Add {name}
            </Button>
          ))}
        </div>
      }
    >
      {list.isPending ? (
        <Loading />
      ) : rows.length === 0 ? (
        <Empty icon={<LogIn className="size-5" />} title="No other accounts">
          <p>Add one to sign in without a password.</p>
        </Empty>
      ) : (
        <ul aria-labelledby="accounts" className="divide-y divide-border">
          {rows.map((row) => (
            <li key={row.id} className="flex items-center justify-between gap-4 px-4 py-3 sm:px-5">
              <p className="flex min-w-0 flex-wrap items-center gap-2">
                <bdi className="truncate">{row.name}</bdi>
                {!row.is_usable && <Badge>not available</Badge>}
                <span className="text-[13px] text-muted">
                  added <Time at={row.created_at} />
                </span>
              </p>
              <Button size="small" aria-label={`Remove ${row.name}`} onClick={() => setRemoved(row)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Confirm
        isOpen={removed !== null}
        onOpenChange={() => setRemoved(null)}
        title={<Ask verb="Remove" name={removed?.name ?? ''} />}
        description="It no longer signs you in."
        action="Remove"
        isBusy={change.isPending}
        onConfirm={() =>
          removed && change.mutate(() => unlinkAccount(removed.id), { onSettled: () => setRemoved(null) })
        }
      />
    </Section>
  )
}
