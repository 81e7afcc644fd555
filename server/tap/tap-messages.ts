import type { MessagePort } from 'node:worker_threads';
import type { Observation } from '@/lib/observation/observation';
import type { UserType } from '../codec/codec';
import type { PackedBodies } from '../source-threads/source-messages';
import type { Speaker } from './recorded-stream';
import type { ListenerNews } from './tap-counters';
import type { TapSettings } from './tap-settings';

/** What the main thread reports the thread that relays. `tap` is a number that is never used twice. */
export type RelayCommand =
  | { readonly kind: 'open'; readonly tap: number; readonly settings: TapSettings }
  /** Copies are not wanted; streams go on. */
  | { readonly kind: 'pause'; readonly tap: number }
  | { readonly kind: 'resume'; readonly tap: number }
  | { readonly kind: 'close'; readonly tap: number }
  /** Copies go there from now on. */
  | { readonly kind: 'recorder'; readonly port: MessagePort }
  | { readonly kind: 'recorder-lost' };

export type RelayNews =
  | { readonly kind: 'news'; readonly tap: number; readonly news: ListenerNews }
  /** It relays no more; the ends of its streams are on their way to who records. */
  | { readonly kind: 'closed'; readonly tap: number };

/** What the main thread reports the thread that records. */
export type RecordingCommand =
  | { readonly kind: 'tap'; readonly tap: number; readonly sourceId: string }
  /** Streams that are open, of which an earlier thread knew who speaks. */
  | { readonly kind: 'known'; readonly streamId: string; readonly speaker: Speaker }
  | { readonly kind: 'copies'; readonly port: MessagePort }
  | { readonly kind: 'types'; readonly types: readonly UserType[] }
  /** The newest news is dealt with: there is room for the next. */
  | { readonly kind: 'taken' };

/** One part at a time, until it is taken. */
export type RecordingNews =
  | { readonly kind: 'emissions'; readonly emissions: readonly TapEmission[]; readonly bodies: PackedBodies }
  | { readonly kind: 'note'; readonly tap: number; readonly note: string }
  /** Everything that passed it is reported. */
  | { readonly kind: 'tap-closed'; readonly tap: number };

export interface TapEmission {
  readonly tap: number;
  readonly observation: Observation;
  /** How many of the bodies, in order, are its own. */
  readonly bodies: number;
}
