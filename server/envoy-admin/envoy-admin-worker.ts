import { workerData } from 'node:worker_threads';
import { createRedactionMarker } from '../codec/redaction-marker';
import type { KnownClients } from '../poll-diff/known-clients';
import { serveJobs } from '../workers/serve-jobs';
import { type AnswersRead, type AnswersRequest, type KeptDocuments, readAnswers } from './read-answers';

export interface EnvoyAdminWorkerData {
  readonly redactionKey: Uint8Array;
}

/** What is known of a source has a version, as for CSDS: the same version means the same clients on both sides. */
export interface EnvoyAdminJobs {
  read: {
    input: {
      readonly source: number;
      readonly request: AnswersRequest;
      readonly base: number;
      /** The version of what is known after these answers. */
      readonly next: number;
      /** The clients of version `base`. Absent if the worker should have them. */
      readonly known?: KnownClients;
    };
    output: AnswersRead | { readonly kind: 'unknown-base' };
  };
  forget: { input: number; output: null };
}

interface Kept {
  readonly version: number;
  readonly known: KnownClients;
  readonly documents: KeptDocuments;
}

const { redactionKey }: EnvoyAdminWorkerData = workerData;
const marker = createRedactionMarker(redactionKey);
const sources = new Map<number, Kept>();

serveJobs<EnvoyAdminJobs>({
  read: ({ source, request, base, next: version, known }) => {
    if (known !== undefined) sources.set(source, { version: base, known, documents: new Map() });
    const kept = sources.get(source);
    if (kept?.version !== base) return { kind: 'unknown-base' };
    const { read, next, documents } = readAnswers(kept.known, kept.documents, request, marker);
    if (read.kind === 'news') sources.set(source, { version, known: next, documents });
    return read;
  },
  forget: (source) => {
    sources.delete(source);
    return null;
  },
});
