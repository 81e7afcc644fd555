import { ApiError } from '../../api-error';
import { ConfigError } from '../../config-error';
import { isDamaged, type Recorder, RecorderError } from '../../recorder/recorder';

/** A disk that is full or gone is no fault of the request, nor of ours: 507, with the reason. Others pass as they are. */
function explainNotSaved(cause: unknown): unknown {
  // Damage is found in reading: whoever answers the request says so.
  const isPlain = cause instanceof ConfigError || (cause instanceof RecorderError && !isDamaged(cause));
  return isPlain ? new ApiError(507, 'Not saved', cause.message) : cause;
}

/**
 * Makes a change whose answer means that it is kept. Rejects with 507 and the reason where it cannot be kept, also where the
 * data dir was deleted, moved or replaced, and with what the change itself rejects with.
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
