import { ApiError } from '../../api-error';
import { RecorderError } from '../../store/recorder/recorder-error';

/** Returns why the recording cannot be read; undefined for any other error. */
export function findUnavailable(error: unknown): string | undefined {
  if (error instanceof RecorderError) return error.message;
  return error instanceof ApiError && error.status === 503 ? error.detail : undefined;
}
