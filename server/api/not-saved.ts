import { ConfigError } from '../config/config';
import { RecorderError } from '../recorder/recorder';
import { ApiError } from './api-error';

/** A disk that is full or gone is no fault of the request, nor of ours: 507, with the reason. Others pass as they are. */
export function explainNotSaved(cause: unknown): unknown {
  const isPlain = cause instanceof ConfigError || cause instanceof RecorderError;
  return isPlain ? new ApiError(507, 'Not saved', cause.message) : cause;
}
