/** The user's accounts at identity providers. */
import { useQuery } from '@tanstack/react-query'
import { LogIn, Plus } from 'lucide-react'
import { call } from '../../api/client'
import { linkAt, useProviders } from '../../api/providers'
import { useChange } from '../../shell/use-change'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Loading } from '../../ui/page'
import { Removable } from './removable'
import { Section } from './section'

export function Linked() {
  const providers = useProviders()
  const list = useQuery({ queryKey: ['accounts'], queryFn: () => call('GET /me/accounts', {}) })
  const change = useChange(['accounts'])
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
        <p className="flex items-center gap-3 px-4 py-3.5 text-muted sm:px-5">
          <LogIn className="size-5 shrink-0" aria-hidden />
          Add an account to sign in with it instead of a password.
        </p>
      ) : (
        <Removable
          heading="accounts"
          rows={rows}
          badge={({ is_usable: isUsable }) => !isUsable && <Badge>not available</Badge>}
          kind="account"
          consequence="It no longer signs you in."
          change={change}
          remove={(account) => call('DELETE /me/accounts/:account', { account })}
        />
      )}
    </Section>
  )
}
