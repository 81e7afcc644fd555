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

/** The requests that one stream has to send, in either variant of the protocol. */
export interface StreamRules {
  open(): readonly SentRequest[];
  close(): void;
  subscribe(typeUrl: string, subscription: Subscription): readonly SentRequest[];
  /** Returns the ACK or NACK, and the requests that have to follow it. */
  answer(response: ValidatedResponse): readonly SentRequest[];
}

interface Step<State> {
  readonly state: State;
  readonly requests: readonly SentRequest[];
}

/** The transitions of a stream's state. */
interface Transitions<State> {
  open(state: State): Step<State>;
  close(state: State): State;
  subscribe(state: State, typeUrl: string, subscription: Subscription): Step<State>;
  answer(state: State, response: ValidatedResponse): Step<State>;
}

export function sotwRules(): StreamRules {
  const transitions = { open: onStreamOpened, close: onStreamClosed, subscribe, answer: onResponse };
  return rulesOf(initialAdsStreamState, transitions);
}

export function deltaRules(held: HeldVersions): StreamRules {
  return rulesOf(initialDeltaStreamState, {
    open: (state) => onDeltaStreamOpened(state, held),
    close: onDeltaStreamClosed,
    subscribe: (state, typeUrl, subscription) => subscribeDelta(state, typeUrl, subscription, held),
    answer: onDeltaResponse,
  });
}

function rulesOf<State>(initial: State, transitions: Transitions<State>): StreamRules {
  let state = initial;
  const apply = (step: Step<State>): readonly SentRequest[] => {
    state = step.state;
    return step.requests;
  };
  return {
    open: () => apply(transitions.open(state)),
    close: () => {
      state = transitions.close(state);
    },
    subscribe: (typeUrl, subscription) => apply(transitions.subscribe(state, typeUrl, subscription)),
    answer: (response) => apply(transitions.answer(state, response)),
  };
}
