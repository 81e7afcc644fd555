import {
  initialAdsStreamState,
  onResponse,
  onStreamClosed,
  onStreamOpened,
  subscribe,
} from './ads-stream-state';
import {
  type HeldVersions,
  initialDeltaStreamState,
  onDeltaResponse,
  onDeltaStreamClosed,
  onDeltaStreamOpened,
  subscribeDelta,
} from './delta-stream-state';
import type { SentRequest, Subscription, ValidatedResponse } from './xds-channel';

/** What one stream owes its server, in either variant: the pure steps, with the state that they go through. */
export interface StreamRules {
  open(): readonly SentRequest[];
  close(): void;
  subscribe(typeUrl: string, subscription: Subscription): readonly SentRequest[];
  /** The ACK or NACK, and what has to be asked for anew after it. */
  answer(response: ValidatedResponse): readonly SentRequest[];
}

interface Step<State> {
  readonly state: State;
  readonly requests: readonly SentRequest[];
}

export function sotwRules(): StreamRules {
  let state = initialAdsStreamState;
  const take = (step: Step<typeof state>): readonly SentRequest[] => {
    state = step.state;
    return step.requests;
  };
  return {
    open: () => take(onStreamOpened(state)),
    close: () => {
      state = onStreamClosed(state);
    },
    subscribe: (typeUrl, subscription) => take(subscribe(state, typeUrl, subscription)),
    answer: (response) => take(onResponse(state, response)),
  };
}

export function deltaRules(held: HeldVersions): StreamRules {
  let state = initialDeltaStreamState;
  const take = (step: Step<typeof state>): readonly SentRequest[] => {
    state = step.state;
    return step.requests;
  };
  return {
    open: () => take(onDeltaStreamOpened(state, held)),
    close: () => {
      state = onDeltaStreamClosed(state);
    },
    subscribe: (typeUrl, subscription) => take(subscribeDelta(state, typeUrl, subscription, held)),
    answer: (response) => take(onDeltaResponse(state, response)),
  };
}
