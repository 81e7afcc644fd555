import { ApiError } from '../api-error';
import type { RunCommand } from './run-command';

/** Commands that make a process observe something, or change what it records. */
const ofObservers =
  /^[A-Z]+ (?:sources|imports|descriptor-sets|pins|replays|lab|interop\/runs|clients\/\{id\}\/test-client)(?:\/|$)/;

/** A web process has what collectors observe: it answers these commands with 409. */
export function withoutObserving(run: RunCommand): RunCommand {
  return (key, input, signal) => {
    if (ofObservers.test(key)) throw observesNothing();
    return run(key, input, signal);
  };
}

export function observesNothing(): ApiError {
  return new ApiError(
    409,
    'Process observes nothing',
    'expected a process that observes, got a web process of a shared store: do this at a collector',
  );
}
