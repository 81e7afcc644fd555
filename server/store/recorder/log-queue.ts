import { ApiError, badRequest } from '../../api-error';
import type { Compute, DataFile, JobSet } from '../../workers/compute';
import type { JobQueue, JobQueueOptions } from '../../workers/job-queue';
import type { JobTable } from '../../workers/serve-jobs';
import { damagedCode } from './damaged-file';
import type { Recorder } from './recorder';

type LogQueueOptions = Omit<JobQueueOptions, 'errorOf'> & {
  /** Begins the title of the error with which a job is rejected: "Graph" for "Graph not available". */
  readonly what: string;
};

/**
 * Opens the queue of jobs that read the recording. The recorder notes the damage that they find. A job may take a minute, unless
 * the options state another time.
 */
export function openLogQueue<Name extends string, Data extends DataFile, Jobs extends JobTable<Jobs>>(
  compute: Compute,
  set: JobSet<Name, Data, Jobs>,
  recorder: Pick<Recorder, 'file' | 'noteDamage'>,
  { what, ...options }: LogQueueOptions,
  data: Omit<Data, 'file'>,
): JobQueue<Jobs> {
  return compute.queue(set, { ...data, file: recorder.file } as Data, {
    deadlineMs: 60_000,
    ...options,
    errorOf: (message, code) => {
      if (code === '400') return badRequest(message);
      if (code === damagedCode) recorder.noteDamage(message);
      return new ApiError(503, `${what} not available`, message);
    },
  });
}
