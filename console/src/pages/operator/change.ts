/** Runs a change by an operator, then reads the operators' lists again. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'

export function useOperatorChange() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onError: (error) => void toast.error(messageOf(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['operator'] }),
  })
}
