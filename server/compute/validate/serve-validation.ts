import { type AwaitingSteps, awaitIn } from '@/lib/cooperative/steps';
import type { ValidatedResource } from '@/lib/validate/validate-resource';
import { createRedactionMarker } from '../../codec/redaction-marker';
import { LogReader } from '../../store/recorder/log-reader';
import { inPages } from '../../workers/in-pages';
import type { SteppedRunners } from '../../workers/serve-jobs';
import { checkInput } from './check-input';
import { type ValidationData, type ValidationJobs, validateBody, validateRedacted } from './validation-job';

/** The log reads bodies of one pack together. */
const bodiesRead = 500;
/** Validated between two turns of other jobs. */
const bodiesAtOnce = 50;

export function serveValidation({ redactionKey, file }: ValidationData): SteppedRunners<ValidationJobs> {
  const marker = createRedactionMarker(redactionKey);
  const log = new LogReader(file);
  return {
    *bodies({ bodies, pending }): AwaitingSteps<(ValidatedResource | null)[]> {
      const validated: (ValidatedResource | null)[] = [];
      for (const read of inPages(bodies, bodiesRead)) {
        const hashes = read.map(({ hash }) => hash);
        const found = yield* awaitIn(log.readBodies(hashes, pending));
        for (const page of inPages(read, bodiesAtOnce)) {
          for (const { hash, ...body } of page) {
            const bytes = found.get(hash)?.bytes;
            validated.push(bytes === undefined ? null : validateBody({ ...body, bytes }));
          }
          yield;
        }
      }
      return validated;
    },
    input: (input) => validateRedacted(input, marker),
    check: (input) => checkInput(input, marker),
  };
}
