/** Runs a change, shows its failure, and reads the queries again that it affects. */
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query'
import { toast } from 'sonner'
import { messageOf } from '../api/client'
import { PasskeyDeclined } from '../api/passkeys'

export function useChange(...affected: readonly QueryKey[]) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onError(error) {
      if (!(error instanceof PasskeyDeclined)) toast.error(messageOf(error))
    },
    onSettled: () => Promise.all(affected.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
}
