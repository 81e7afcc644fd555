import fc from 'fast-check';

/** Properties run over the same examples everywhere: a red build is a fault of its change, never bad luck. */
fc.configureGlobal({ seed: 20_261_121 });
