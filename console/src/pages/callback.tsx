/** The page to which an identity provider sends the browser back. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { toast } from 'sonner'
import { messageOf, RequestFailed } from '../api/client'
import { finishAt, replaceAt } from '../api/providers'
import { sessionQuery, useSession } from '../api/session'
import { Outside } from '../shell/outside'
import { Button } from '../ui/button'
import { Loading } from '../ui/page'

export function Callback() {
  const { provider } = useParams({ from: '/callback/$provider' })
  const { user } = useSession()
  const queries = useQueryClient()
  const router = useRouter()
  // A query instead of a mutation, because it runs once even if the page is rendered twice.
  const answer = useQuery({
    queryKey: ['callback', provider],
    queryFn: () => finishAt(provider),
    retry: false,
    staleTime: Infinity,
    gcTime: Infinity,
  })
  const replace = useMutation({ mutationFn: () => replaceAt(provider) })
  const finished = answer.data

  useEffect(() => {
    if (!finished) return
    const { isLink, isNew, kept } = finished
    const open = async (): Promise<void> => {
      await queries.refetchQueries(sessionQuery)
      await router.invalidate()
      if (isLink) {
        toast.success('You can sign in with it now.')
        await router.navigate({ to: '/account', replace: true })
        return
      }
      // A person with an existing account accepts the invitation next.
      if (kept.invitation !== undefined && !isNew) {
        window.location.replace(`/console/welcome#${kept.invitation}`)
        return
      }
      const next = kept.next !== undefined && /^\/(?![/\\])/.test(kept.next) ? kept.next : '/'
      await router.navigate({ to: next, replace: true })
    }
    void open()
  }, [finished, queries, router])

  if (!answer.error)
    return (
      <Outside title="Signing in">
        <Loading />
      </Outside>
    )
  return (
    <Outside title="The sign-in did not work">
      <p role="alert">{messageOf(replace.error ?? answer.error)}</p>
      {canReplace(answer.error) && (
        <>
          <p>
            Another account has your address, but nobody has verified the address for it. If you did not
            create that account, start with a new account: the other account then loses the address.
          </p>
          <Button isBusy={replace.isPending} onClick={() => replace.mutate()}>
            Start with a new account
          </Button>
        </>
      )}
      <Button asChild>
        {user ? <Link to="/account">Your account</Link> : <Link to="/sign-in">Sign in</Link>}
      </Button>
    </Outside>
  )
}

const canReplace = (error: Error): boolean =>
  error instanceof RequestFailed && error.body.details['can_replace'] === true
