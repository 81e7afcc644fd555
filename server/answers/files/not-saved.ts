import { ApiError } from '../../api-error';
import { ConfigError } from '../../config-error';
import { isDamaged, type Recorder, RecorderError } from '../../store/recorder/recorder';

/** A disk that is full or missing is reported as 507 with the reason. Other errors pass unchanged. */
function explainNotSaved(cause: unknown): unknown {
  // Damage is found while reading and reported by the caller.
  const isPlain = cause instanceof ConfigError || (cause instanceof RecorderError && !isDamaged(cause));
  return isPlain ? new ApiError(507, 'Not saved', cause.message) : cause;
}

/**
 * Runs a change and resolves when it is stored. Rejects with 507 and the reason if it cannot be stored, also if the
 * data dir was deleted, moved or replaced, and with the error of the change itself.
 */
export async function saved<T>(
  recorder: Pick<Recorder, 'confirmInPlace'>,
  change: () => T | Promise<T>,
): Promise<T> {
  try {
    await recorder.confirmInPlace();
    const result = await change();
    await recorder.confirmInPlace();
    return result;
  } catch (cause) {
    throw explainNotSaved(cause);
  }
}
