import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { InputOf } from '@/lib/views/commands';
import type { Proof } from '@/lib/views/prove/schema';
import { requestJson } from '../_hooks/api-client';
import type { RecordedSubject } from './client-subject';

type ProveInput = Omit<InputOf<'POST clients/{id}/prove'>['body'], 'at'>;

/** The server ends a twin after 30 s. */
const timeoutMs = 45_000;

/** Sends a request through a twin of the client. The twin ends by stop(), or when the component leaves the page. */
export function useProof({ clientId, at = '' }: RecordedSubject) {
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const proof = useMutation({
    mutationFn: (input: ProveInput) => {
      const abort = new AbortController();
      running.current = abort;
      const body = { ...input, ...(at !== '' && { at }) };
      return requestJson<Proof>(`clients/${encodeURIComponent(clientId)}/prove`, {
        ...{ method: 'POST', body, signal: abort.signal, timeoutMs },
      });
    },
  });
  const stop = (): void => {
    running.current?.abort();
    proof.reset();
  };
  return { ...proof, stop };
}
