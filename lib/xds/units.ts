/** Milliseconds since 1970-01-01T00:00Z, by the clock of the machine on which xdscope runs unless stated otherwise. */
export type EpochMs = number;
