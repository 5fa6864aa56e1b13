#!/usr/bin/env node
/** `phonerack-virtual-phone`: the command of the package. */
import './main.js'
