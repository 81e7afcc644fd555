import type { z } from 'zod';
import type { newPin, Pin } from '@/lib/views/recording/pin-schema';
import { ApiError, notFound } from '../../api-error';
import { redactMessage } from '../../codec/secrets/redact-message';
import type { Clock } from '../../observe';
import type { Pin as StoredPin } from '../../store/ranges';
import type { Recorder } from '../../store/recorder/recorder';

interface PinsApiOptions {
  readonly recorder: Pick<Recorder, 'pin' | 'unpin' | 'pins'>;
  readonly clock: Clock;
}

export class PinsApi {
  readonly #options: PinsApiOptions;

  constructor(options: PinsApiOptions) {
    this.#options = options;
  }

  async list(): Promise<Pin[]> {
    return (await this.#options.recorder.pins()).map(pinOf);
  }

  async add({ from, to, clientId, label: given }: z.infer<typeof newPin>): Promise<Pin> {
    const label = redactMessage(given);
    const { recorder, clock } = this.#options;
    const range = { from, to, clientId: clientId ?? null, label, createdAt: clock.now() };
    const added = await recorder.pin(range);
    if (added) return pinOf(added);
    throw new ApiError(409, 'Too many pins', 'there are as many pins as there may be: remove one first');
  }

  async remove(id: string): Promise<void> {
    const isKnown = /^\d{1,15}$/.test(id) && (await this.#options.recorder.unpin(Number(id)));
    if (!isKnown) throw notFound('Pin', `no pin has the id ${JSON.stringify(id)}`);
  }
}

function pinOf({ id, from, to, clientId, label, createdAt }: StoredPin): Pin {
  return {
    id: String(id),
    from,
    to,
    clientId: clientId ?? undefined,
    label,
    createdAt,
  };
}
