import type { MessagePort } from 'node:worker_threads';
import type { Observation } from '@/lib/observation/observation';
import type { UserType } from '../../codec/codec';
import type { PackedBodies } from '../../packed-bodies';
import type { RecordedClient } from './recorded-stream';
import type { ListenerNews } from './tap-counters';
import type { TapSettings } from './tap-settings';

/** The commands to the relay thread. The number `tap` is never reused. */
export type RelayCommand =
  | { readonly kind: 'open'; readonly tap: number; readonly settings: TapSettings }
  /** Stops copying. Streams continue. */
  | { readonly kind: 'pause'; readonly tap: number }
  | { readonly kind: 'resume'; readonly tap: number }
  | { readonly kind: 'close'; readonly tap: number }
  /** Copies are sent to this port. */
  | { readonly kind: 'recorder'; readonly port: MessagePort }
  | { readonly kind: 'recorder-lost' };

export type RelayNews =
  | { readonly kind: 'news'; readonly tap: number; readonly news: ListenerNews }
  /** The tap is closed. The ends of its streams are in transit to the recording thread. */
  | { readonly kind: 'closed'; readonly tap: number };

/** The commands to the recording thread. */
export type RecordingCommand =
  | { readonly kind: 'tap'; readonly tap: number; readonly sourceId: string }
  | { readonly kind: 'client'; readonly tap: number; readonly client: RecordedClient }
  | { readonly kind: 'copies'; readonly port: MessagePort }
  | { readonly kind: 'types'; readonly types: readonly UserType[] }
  /** The last part is processed. The next one may be sent. */
  | { readonly kind: 'processed' };

export type RecordingNews =
  | {
      readonly kind: 'emissions';
      readonly emissions: readonly TapEmission[];
      readonly bodies: PackedBodies;
    }
  | { readonly kind: 'note'; readonly tap: number; readonly note: string }
  /** Everything of the tap has been reported. */
  | { readonly kind: 'tap-closed'; readonly tap: number };

interface TapEmission {
  readonly tap: number;
  readonly observation: Observation;
  readonly bodies: number;
}

/** The part of the taps that a thread of the program `tap` has, beside the data of that part. */
export interface TapProgramData {
  readonly role: 'relay' | 'recording';
}
