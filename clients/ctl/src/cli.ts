#!/usr/bin/env node
/** `phonerack-ctl`: the command of the package. */
import './main.js'
