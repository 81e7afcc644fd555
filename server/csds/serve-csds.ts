import { decodeClientStatus } from '../codec/decode-client-status';
import { createRedactionMarker } from '../codec/redaction-marker';
import type { KnownClients } from '../poll-diff/known-clients';
import type { JobSet } from '../workers/compute';
import type { JobRunners } from '../workers/serve-jobs';
import { type AnswerNews, type AnswerRequest, readAnswer } from './read-answer';

export interface CsdsData {
  readonly redactionKey: Uint8Array;
}

/**
 * The known clients of a source have a version, which means the same on both sides. Versions are never used twice, so that
 * an answer that the caller did not accept is not mistaken for the known clients.
 */
export interface CsdsJobs {
  read: {
    input: {
      readonly source: number;
      readonly answer: Uint8Array;
      readonly request: AnswerRequest;
      readonly base: number;
      /** The version of the known clients after this answer. */
      readonly next: number;
      /** The clients of version `base`. Absent if the worker should have them. */
      readonly known?: KnownClients;
    };
    output: AnswerNews | { readonly kind: 'unknown-base' };
  };
  forget: { input: number; output: null };
}

export const csdsJobs: JobSet<'csds', CsdsData, CsdsJobs> = { name: 'csds', thread: 'reports' };

export function serveCsds({ redactionKey }: CsdsData): JobRunners<CsdsJobs> {
  const marker = createRedactionMarker(redactionKey);
  const sources = new Map<number, { readonly version: number; readonly known: KnownClients }>();
  return {
    read: ({ source, answer, request, base, next: nextVersion, known }) => {
      if (known !== undefined) sources.set(source, { version: base, known });
      const kept = sources.get(source);
      if (kept?.version !== base) return { kind: 'unknown-base' };
      const { news, next } = readAnswer(kept.known, decodeClientStatus(answer, marker), request);
      if (news.kind === 'complete') sources.set(source, { version: nextVersion, known: next });
      return news;
    },
    forget: (source) => {
      sources.delete(source);
      return null;
    },
  };
}
