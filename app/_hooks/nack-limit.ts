/** Groups of NACKs that a list asks for at first, and more with every click. The page's server prefetches as many. */
export const nackLimit = 300;
