/** The box of a mark, with room for its halo. */
export const spritePx = 16;
